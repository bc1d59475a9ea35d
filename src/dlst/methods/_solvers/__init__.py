"""The mathematics of single methods: arrays in, arrays out, no estimators."""

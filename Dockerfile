# Serves a model, read-only and without privileges:
#   docker build -t dlst .
#   docker run --read-only --cap-drop ALL --tmpfs /tmp -p 8000:8000 -e DLST_TOKEN=... \
#     -v "$PWD/model.skops:/model.skops:ro" dlst
FROM python:3.11-slim
COPY . /source
RUN pip install --no-cache-dir '/source[serve]' && rm -rf /source
# Kernels are compiled here, for every processor of this kind, so that a start takes seconds. numba
# reads them only where it may write: a start copies them there, and compiles anew if it may not.
ENV SCRATCH=/tmp
ENV HOME=/nonexistent PYTHONDONTWRITEBYTECODE=1 NUMBA_CACHE_DIR=$SCRATCH/kernels NUMBA_CPU_NAME=generic
RUN python -m dlst.serve.kernels && mv "$NUMBA_CACHE_DIR" /kernels
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --start-period=120s \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health', timeout=5)"]
ENTRYPOINT ["sh", "-c", "cp -r /kernels \"$SCRATCH\" 2>/dev/null; exec dlst serve \"$@\"", "serve"]
CMD ["/model.skops", "--host", "0.0.0.0"]

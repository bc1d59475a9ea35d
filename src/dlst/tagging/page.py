"""An explanation as a small page part, for notebooks."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from dlst.inputs.text import words_and_rest

_TEMPLATE = """
<div style="font-family: system-ui, sans-serif; max-width: 60em">
{% for row in rows %}
<div style="border: 1px solid #8884; border-radius: 6px; padding: 0.8em 1em; margin: 0.6em 0">
  {% if row.picture %}<img src="{{ row.picture }}" alt="" style="float: right">{% endif %}
  <div style="opacity: 0.7">row {{ row.row }}{% if row.id %} · {{ row.id }}{% endif %}</div>
  {% if row.text %}<p>{{ row.marked }}</p>{% endif %}
  <table style="border-collapse: collapse">
  {% for label in row.labels %}
  <tr>
    <td style="text-align: left; padding: 0.15em 0.8em 0.15em 0">
      {% if label.decided %}<b>{{ label.tag }}</b>{% else %}{{ label.tag }}{% endif %}</td>
    <td style="padding-right: 0.8em">{{ "%.3f" % label.probability }}</td>
    <td style="width: 8em"><div style="background: #38a; height: 0.7em;
      width: {{ (100 * label.probability) | round(1) }}%"></div></td>
    <td style="text-align: left; padding-left: 0.8em; opacity: 0.85">
      {% for reason in label.because[:4] %}{{ reason.what }}
      {{ "%+.2f" % reason.contribution }}{% if not loop.last %}, {% endif %}{% endfor %}</td>
  </tr>
  {% endfor %}
  </table>
  {% for source, voters in row.voters.items() %}
  <details><summary>{{ source }}: nearest training rows</summary>
  <table style="border-collapse: collapse">
  {% for voter in voters %}
  <tr>
    <td style="padding-right: 0.8em">{{ "%.3f" % voter.weight }}</td>
    <td style="text-align: left; padding-right: 0.8em"><b>{{ voter.tags | join(", ") }}</b></td>
    <td style="text-align: left">
      {% if row.voter_pictures.get(voter.row) %}
      <img src="{{ row.voter_pictures[voter.row] }}" alt="">{% endif %}
      {{ voter.text or "row %d" % voter.row }}</td>
  </tr>
  {% endfor %}
  </table></details>
  {% endfor %}
</div>
{% endfor %}
</div>
"""


def explanation_html(explanation: Any) -> str:
    """Return a page part: the text with its telling words marked, the tags, who voted."""
    rows = [
        {
            **row,
            "marked": _marked(row),
            "picture": pictures["row"],
            "voter_pictures": pictures["voters"],
        }
        for row, pictures in zip(explanation.rows, explanation.pictures, strict=True)
    ]
    return Environment(autoescape=True).from_string(_TEMPLATE).render(rows=rows)


def _marked(row: dict[str, Any]) -> Markup:
    """Mark the words that spoke most for the first tag."""
    reasons = row["labels"][0]["because"] if row["labels"] else []
    strengths = {reason["what"]: reason["contribution"] for reason in reasons}
    largest = max((abs(value) for value in strengths.values()), default=1.0)
    parts = []
    for part in words_and_rest(row["text"]):
        strength = strengths.get(part.lower(), 0.0) / largest
        if abs(strength) < 0.1:
            parts.append(escape(part))
        else:
            colour = "56, 150, 90" if strength > 0 else "200, 80, 60"
            style = f"background: rgba({colour}, {0.6 * abs(strength):.2f})"
            parts.append(Markup('<mark style="{}">{}</mark>').format(style, part))
    return Markup("").join(parts)

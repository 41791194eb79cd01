// Departures as lines for a terminal or a printed board.

const COLUMN_GAP = 2;

function columnWidths(rows) {
  const widths = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return widths;
}

export function formatBoard(departures) {
  const rows = departures.map(({ clock, line, to, pier, minutesUntil }) => [
    clock,
    line,
    to,
    `pier ${pier}`,
    minutesUntil < 60 ? `in ${minutesUntil} min` : "",
  ]);
  const widths = columnWidths(rows);
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] + COLUMN_GAP)).join("").trimEnd())
    .join("\n");
}

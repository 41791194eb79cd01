// Counts with the singular or plural of a noun.

export const plural = (count: number, one: string, several: string) =>
  `${count} ${count === 1 ? one : several}`;

export const countOf = (one: string, several: string) => (count: number) => plural(count, one, several);

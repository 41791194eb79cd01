// A number with its word.

export const many = (count: number, one: string, several: string): string =>
  `${count} ${count === 1 ? one : several}`;

export const counted = (one: string, several: string) => (count: number) => many(count, one, several);

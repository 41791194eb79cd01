// Where the names of dots stand: beside, above or below, wherever they lie on nothing else.

interface LabelledDot {
  readonly name: string;
  /** In percent of the plane, from its upper left. */
  readonly x: number;
  readonly y: number;
}

/** Which side of the dot the text begins at, and how far above or below it stands. */
interface Place {
  readonly side: "right" | "left" | "middle";
  /** Pixels, downwards. */
  readonly shift: number;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The size that names are kept apart for, in pixels; where the plane is narrower most of them are hidden. */
const WIDTH = 920;
const HEIGHT = 340;
const LETTER = 7;
const LINE = 16;
const GAP = 11;
const DOT = 8;

const places: readonly Place[] = [
  { side: "right", shift: 0 },
  { side: "left", shift: 0 },
  { side: "middle", shift: -17 },
  { side: "middle", shift: 17 },
  { side: "right", shift: -14 },
  { side: "right", shift: 14 },
  { side: "left", shift: -14 },
  { side: "left", shift: 14 },
  { side: "middle", shift: -33 },
  { side: "middle", shift: 33 },
];

const center = ({ x, y }: LabelledDot): readonly [number, number] => [(x * WIDTH) / 100, (y * HEIGHT) / 100];

function boxOf(dot: LabelledDot, { side, shift }: Place): Box {
  const [x, y] = center(dot);
  const width = dot.name.length * LETTER;
  const left = { right: x + GAP, left: x - GAP - width, middle: x - width / 2 }[side];
  return { left, right: left + width, top: y + shift - LINE / 2, bottom: y + shift + LINE / 2 };
}

function dotBox(dot: LabelledDot): Box {
  const [x, y] = center(dot);
  return { left: x - DOT, right: x + DOT, top: y - DOT, bottom: y + DOT };
}

function overlap(one: Box, other: Box) {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return width > 0 && height > 0 ? width * height : 0;
}

const outside = ({ left, right, top, bottom }: Box) =>
  1_000 *
  (Math.max(0, -left) + Math.max(0, right - WIDTH) + Math.max(0, -top) + Math.max(0, bottom - HEIGHT));

/** A place for every name, in the order of the dots: those that come first have the choice. */
export function placeLabels(dots: readonly LabelledDot[]): Place[] {
  const taken = dots.map(dotBox);
  return dots.map((dot, index) => {
    const others = taken.filter((_, at) => at !== index);
    const trouble = (place: Place) => {
      const box = boxOf(dot, place);
      return others.reduce((sum, other) => sum + overlap(box, other), outside(box));
    };
    const [first, ...rest] = places.map((place) => ({ place, trouble: trouble(place) }));
    const best = rest.reduce(
      (a, b) => (b.trouble < a.trouble ? b : a),
      first ?? { place: places[0] as Place, trouble: 0 },
    );
    taken.push(boxOf(dot, best.place));
    return best.place;
  });
}

const numbers = new Intl.NumberFormat();

/** A number with separators. */
export const numberText = (value: number) => numbers.format(value);

/** `1 attempt`, `2 attempts` */
export const counted = (n: number, noun: string) => `${numbers.format(n)} ${noun}${n === 1 ? '' : 's'}`;

/** A size in bytes, KiB, MiB or GiB. */
export function byteText(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  const exponent = Math.min(3, Math.floor(Math.log2(bytes) / 10));
  return `${Number((bytes / 1024 ** exponent).toPrecision(3))} ${['', 'KiB', 'MiB', 'GiB'][exponent]}`;
}

/** A share of 1 as a percentage that never rounds up to 100 %. */
export const percentText = (share: number) => `${Math.floor(share * 10_000) / 100} %`;

const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** A number for narrow places: `12K`. */
export const shortNumberText = (value: number) => short.format(value);

/** A text as UTF-8 that grows at its end: bytes that were given away never change. */
export interface GrowingBytes {
  readonly length: number;
  append(text: string): void;
  /** The first of them, not copied. */
  upTo(length: number): Uint8Array;
}

export function growingBytes(): GrowingBytes {
  let bytes = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    append(text) {
      const longer = length + Buffer.byteLength(text);
      if (longer > bytes.length) {
        // What is sent once is kept without room to grow.
        const larger = Buffer.allocUnsafeSlow(length === 0 ? longer : 2 * longer);
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      bytes.write(text, length);
      length = longer;
    },
    upTo: (end) => bytes.subarray(0, end),
  };
}

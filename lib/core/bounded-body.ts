type Body = AsyncIterable<Uint8Array> | null | undefined

/** Reads a body up to a number of bytes. Beyond it the rest is dropped with the connection, and `truncated` is true. */
export const readBounded = async (
  body: Body,
  mostBytes: number,
): Promise<{ bytes: Buffer; truncated: boolean }> => {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    pieces.push(piece)
    size += piece.length
    if (size > mostBytes) break
  }
  return { bytes: Buffer.concat(pieces).subarray(0, mostBytes), truncated: size > mostBytes }
}

/** A body as a host hands it over, in these pieces. */
export async function* inPieces(...pieces: readonly (string | Buffer)[]): AsyncGenerator<Buffer, void> {
  for (const piece of pieces) yield Buffer.from(piece)
}

/** An export with these tasks, as a host hands it over. */
export const exportPieces = (...tasks: readonly unknown[]): AsyncGenerator<Buffer, void> =>
  inPieces(JSON.stringify({ version: '1.0', tasks }))

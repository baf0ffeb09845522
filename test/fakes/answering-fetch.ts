type Pieces = Iterable<string> | AsyncIterable<string>

/** A fetch that answers each request with the same pieces of a body; `read` counts the bytes that were taken of it. */
export const answeringFetch = (pieces: () => Pieces, { status = 200, headers = {} } = {}) => {
  const counted = { read: 0, isClosed: false }
  async function* body() {
    try {
      for await (const piece of pieces()) {
        counted.read += piece.length
        yield Buffer.from(piece)
      }
    } finally {
      counted.isClosed = true
    }
  }
  const type = { 'content-type': 'text/event-stream' }
  const fetch = async () =>
    new Response(ReadableStream.from(body()), { status, headers: { ...type, ...headers } })
  return { fetch: fetch as typeof globalThis.fetch, counted }
}

/** Server-sent events of JSON; a text is sent as it is. */
export const frames = (...events: readonly unknown[]): string =>
  events.map((event) => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`)).join('')

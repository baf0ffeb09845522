/** What one HTTP/1.1 answer held, and how many characters of the stream it took. */
export type Taken = { reply: { status: number; text: string }; length: number }

/** Takes one whole answer from the front of a latin1 stream; undefined while some of it is still on its way. */
export const takeReply = (stream: string): Taken | undefined => {
  const headEnd = stream.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const head = stream.slice(0, headEnd)
  const status = Number(head.slice(9, 12))
  const from = headEnd + 4
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) return takeChunks(stream, from, status)
  const to = from + Number(length)
  return stream.length < to ? undefined : { reply: { status, text: stream.slice(from, to) }, length: to }
}

const takeChunks = (stream: string, from: number, status: number): Taken | undefined => {
  let text = ''
  for (let at = from; ; ) {
    const lineEnd = stream.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(stream.slice(at, lineEnd), 16)
    const next = lineEnd + 2 + size + 2
    if (stream.length < next) return undefined
    if (size === 0) return { reply: { status, text }, length: next }
    text += stream.slice(lineEnd + 2, next - 2)
    at = next
  }
}

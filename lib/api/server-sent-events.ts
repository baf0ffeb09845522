/** An event of a stream: the JSON of its data, and the id for `Last-Event-ID`. */
export type StreamEvent = { readonly id: string; readonly data: string }

const parseField = (line: string) => {
  const at = line.indexOf(':')
  const value = at < 0 ? '' : line.slice(at + 1)
  return { name: at < 0 ? line : line.slice(0, at), value: value.startsWith(' ') ? value.slice(1) : value }
}

const eventIn = (frame: string): StreamEvent | undefined => {
  const fields = frame.split(/\r?\n/).map(parseField)
  const data = fields.filter(({ name }) => name === 'data').map(({ value }) => value)
  if (data.length === 0) return undefined
  return { id: fields.findLast(({ name }) => name === 'id')?.value ?? '', data: data.join('\n') }
}

/** The events of an answer (WHATWG HTML, section 9.2), in batches as they arrive; a comment is an empty batch. */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly StreamEvent[]> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let rest = ''
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const frames = (rest + read.value).split(/\r?\n\r?\n/)
      rest = frames.pop() ?? ''
      yield frames.flatMap((frame) => eventIn(frame) ?? [])
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** An event of an agentic session, as it is sent. */
export type Sent = { id: string; type: string; data: Record<string, unknown>; timestamp: number }

/** The events of a text of server-sent events, comments left out. */
export const eventsIn = (text: string): Sent[] =>
  text.split('\n\n').flatMap((frame) => {
    const [, id, data] = /^id: (\S+)\ndata: (.*)$/.exec(frame) ?? []
    return id === undefined || data === undefined ? [] : [{ id, ...JSON.parse(data) }]
  })

/** Begins an agentic turn; its events are the body of the answer. */
export const startAgentic = (baseUrl: string, conversationId: string, body: object, init: RequestInit = {}) =>
  fetch(`${baseUrl}/api/chat/conversations/${conversationId}/messages/agentic`, {
    method: 'POST',
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
    body: JSON.stringify(body),
  })

/** Reads a stream until it has an event of that type, and leaves it. */
export const readUntil = async (response: Response, type: string): Promise<Sent[]> => {
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (eventsIn(text).some((event) => event.type === type)) break
  }
  return eventsIn(text)
}

/** As `readUntil`, and goes on reading what comes: `rest` is all of it once the stream ends. */
export const readOn = async (response: Response, type: string) => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const read = async (isEnough: () => boolean) => {
    while (!isEnough()) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done) return
      text += value
    }
  }
  await read(() => eventsIn(text).some((event) => event.type === type))
  const rest = read(() => false).then(() => eventsIn(text))
  // Who leaves does not read the rest.
  rest.catch(() => undefined)
  return { seen: eventsIn(text), rest }
}

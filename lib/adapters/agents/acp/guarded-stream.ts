import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'

/** The most requests of an agent that wait for their answers. */
const MOST_OPEN_REQUESTS = 100

type Needs = {
  /** Called with the parameters of each `session/update`, which the library would check as a whole, and so twice. */
  onUpdate: (params: unknown) => void
  /** Called once the agent goes on asking without answers; what it sends after that is dropped. */
  onFlood: () => void
}

/**
 * The messages of an agent for the library of the protocol, without its updates, and without what the library would write
 * to standard error as the agent has it: notifications that do not fit, and answers to what was not asked.
 */
export const guardedStream = ({ readable, writable }: Stream, { onUpdate, onFlood }: Needs): Stream => {
  const ownRequestIds = new Set<unknown>()
  let open = 0
  let isFlooded = false

  const isPassed = (message: AnyMessage): boolean => {
    if (!('id' in message)) {
      if (message.method === 'session/update') onUpdate(message.params)
      return message.method === '$/cancel_request'
    }
    if (!('method' in message)) return ownRequestIds.delete(message.id)
    open += 1
    if (open > MOST_OPEN_REQUESTS && !isFlooded) {
      isFlooded = true
      onFlood()
    }
    return !isFlooded
  }

  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      if (isPassed(message)) controller.enqueue(message)
    },
  })
  const writer = writable.getWriter()
  const outgoing = new WritableStream<AnyMessage>({
    write: async (message) => {
      const isAnswer = !('method' in message)
      if ('id' in message && !isAnswer) ownRequestIds.add(message.id)
      await writer.write(message)
      // An answer to what is no request has no id.
      if (isAnswer && message.id !== null) open -= 1
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  })
  return { readable: readable.pipeThrough(incoming), writable: outgoing }
}

import type { SQSClient } from '@aws-sdk/client-sqs'

type Seen = { command: string; input: Readonly<Record<string, unknown>> }

/** Notes every request that a client makes, repeated ones each time. */
export const watchRequests = (client: SQSClient): Seen[] => {
  const seen: Seen[] = []
  client.middlewareStack.add(
    (next, context) => (args) => {
      seen.push({
        command: String(context.commandName).replace('Command', ''),
        input: args.input as Seen['input'],
      })
      return next(args)
    },
    { step: 'finalizeRequest', priority: 'low', name: 'watchRequests' },
  )
  return seen
}

/**
 * Lets a share of a client's requests fail: half of them throttled before they reach SQS, half with their answer lost
 * on the way back, so that what they did is done.
 */
export const failRequests = (client: SQSClient, share: () => number, random: () => number): void => {
  client.middlewareStack.add(
    (next) => async (args) => {
      const fate = random()
      if (fate < share() / 2) throw named('ThrottlingException')
      const answer = await next(args)
      if (fate < share()) throw named('TimeoutError')
      return answer
    },
    { step: 'finalizeRequest', priority: 'low', name: 'failRequests' },
  )
}

const named = (name: string) => Object.assign(new Error('It was the middleware'), { name })

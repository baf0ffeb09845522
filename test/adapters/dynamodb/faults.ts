import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/**
 * How a call fails: refused for its rate, broken off on its way there, answered into nowhere after it took effect, or
 * refused because a transaction under way has the item.
 */
export type Fault = 'throttled' | 'unsent' | 'unanswered' | 'conflict'

/** An error as the SDK raises it for a connection that is gone. */
const reset = () => Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' })

const throttled = () =>
  Object.assign(new Error('The level of configured provisioned throughput was exceeded'), {
    name: 'ProvisionedThroughputExceededException',
    $fault: 'client',
    $metadata: { httpStatusCode: 400 },
  })

const conflict = (command: string) =>
  command === 'TransactWriteItemsCommand'
    ? Object.assign(new Error('Transaction cancelled'), {
        name: 'TransactionCanceledException',
        CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
        $metadata: { httpStatusCode: 400 },
      })
    : Object.assign(new Error('Transaction is ongoing for the item'), {
        name: 'TransactionConflictException',
        $metadata: { httpStatusCode: 400 },
      })

/** `meanwhile` happens between what took effect and the loss of its answer. Has calls fail as `next` says for each, tries that the SDK makes again included; undefined lets one through. */
export const injectFaults = (
  client: DynamoDBClient,
  next: (command: string) => Fault | undefined,
  meanwhile: () => Promise<unknown> = async () => undefined,
): void => {
  client.middlewareStack.add(
    (send, { commandName = '' }) =>
      async (args) => {
        const fault = next(commandName)
        if (fault === 'throttled') throw throttled()
        if (fault === 'unsent') throw reset()
        if (fault === 'conflict') throw conflict(commandName)
        if (fault === undefined) return send(args)
        await send(args).catch(() => undefined)
        await meanwhile()
        throw reset()
      },
    { step: 'deserialize', priority: 'high', name: 'injectFaults' },
  )
}

import { createLog } from '../../lib/adapters/node/log.ts'
import { readConfig } from '../../lib/config/config.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { startStreamPoller } from '../../offline/stream-poller.ts'

/** As often as it takes: what is given up would be missing from counters. */
const RETRIES = 1_000

/**
 * The stream function, fed from the streams of the tables, in a process that can be killed. What it read before is kept,
 * but for its last batch, as Lambda does.
 */
const main = async () => {
  const { handler } = await import('../../functions/stream.ts')
  const config = readConfig()
  const poller = startStreamPoller({
    endpoint: config.DYNAMODB_ENDPOINT ?? '',
    streams: (process.env.STREAM_ARNS ?? '').split(','),
    file: process.env.STREAM_CHECKPOINTS ?? '',
    rereadMs: 0,
    retries: RETRIES,
    handler: async (event) => {
      process.send?.('fed')
      return handler(event)
    },
    log: createLog({ level: config.LOG_LEVEL, masker: createMasker(config.secrets) }),
  })
  process.on('message', async (number) => {
    await poller.drained()
    process.send?.(number)
  })
  process.stdout.write('ready\n')
}

await main()

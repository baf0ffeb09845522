import { setTimeout as sleep } from 'node:timers/promises'
import { openSqs } from '../../lib/adapters/aws/clients.ts'
import { createLog } from '../../lib/adapters/node/log.ts'
import { readConfig } from '../../lib/config/config.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { startPoller } from '../../offline/sqs-poller.ts'

/** The functions that send deliveries, notices and the tick, in a process that can be killed. */
const main = async () => {
  const [{ handler: notify }, { handler: tick }] = await Promise.all([
    import('../../functions/notify.ts'),
    import('../../functions/tick.ts'),
  ])
  const config = readConfig()
  const log = createLog({ level: config.LOG_LEVEL, masker: createMasker(config.secrets) })
  const client = openSqs({ region: config.AWS_REGION, endpoint: config.SQS_ENDPOINT })
  const inTime = { getRemainingTimeInMillis: () => 55_000 }
  // Opens the functions, which the first events would do.
  await Promise.all([notify({ Records: [] }, inTime), tick({}, inTime as never)])
  const queueUrl = config.NOTIFICATION_QUEUE_URL ?? ''
  startPoller({ client, queueUrl, batchSize: 10, concurrency: 2, handler: notify, timeoutMs: 60_000, log })
  process.stdout.write('ready\n')
  for (;;) {
    await tick({}, inTime as never)
    await sleep(100)
  }
}

await main()

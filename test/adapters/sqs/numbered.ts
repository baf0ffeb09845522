import { afterEach } from '@jest/globals'
import * as z from 'zod'
import { forAllTests } from '../../fakes/lifetimes.ts'
import { startSqs, type TestQueues } from './emulator.ts'
import { type Fed, openFed } from './fed.ts'

/** A message that is told from others by its number. */
export const NumberedSchema = z.object({ n: z.number() })
export type Numbered = z.infer<typeof NumberedSchema>

type QueueSettings = { visibilityTimeout?: number; maxReceiveCount?: number }

/** Opens fed queues of numbered messages, on one SQS for all tests of a file; what a test opened is stopped after it. */
export const numberedQueues = () => {
  const sqs = forAllTests(startSqs, ({ stop }) => stop())
  const opened: Fed<Numbered>[] = []
  afterEach(async () => void (await Promise.all(opened.splice(0).map(({ stop }) => stop()))))

  /** As another process opens queues that are there. */
  const openOn = (urls: TestQueues): Fed<Numbered> => {
    const fed = openFed(sqs(), urls, NumberedSchema)
    opened.push(fed)
    return fed
  }
  const open = async (settings: QueueSettings = {}) => openOn(await sqs().queues(settings))
  return { open, openOn }
}

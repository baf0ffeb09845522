import type { Deployed } from './deployed.ts'
import { billedMs, gbSeconds, PLATFORM_LOG_BYTES } from './lambda-time.ts'
import type { Measured } from './measure.ts'
import type { Options } from './options.ts'
import { type Bill, billed, money } from './prices.ts'

const SECONDS_A_MONTH = 730 * 3_600
/**
 * Lambda polls an idle queue with five long polls of 20 s at once; it would go down to two, but not for a source with a
 * limit of its own (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html).
 */
const POLLS = { limited: 5, free: 2, seconds: 20 } as const
/** DynamoDB asks for the key of a table that is in use every five minutes. */
const KEY_SECONDS = 300

type Needs = { deployed: Deployed; options: Options; tick: Measured }

const billOfMonth = ({ deployed, options: { tripMs, storedGb }, tick }: Needs): Bill => {
  const { ticksAMonth, sources, alarmMetrics, dashboards, keys, secrets, keyedTables, isRecoverable } =
    deployed
  const memoryMb = deployed.memoryMb(tick.by)
  const polls = sources.map(({ isLimited }) => (isLimited ? POLLS.limited : POLLS.free) / POLLS.seconds)
  return {
    invocations: ticksAMonth,
    gbSeconds: ticksAMonth * gbSeconds(billedMs(tick, { memoryMb, tripMs }), memoryMb),
    readUnits: ticksAMonth * tick.read,
    writeUnits: ticksAMonth * tick.write,
    logGb: (ticksAMonth * (tick.logBytes + PLATFORM_LOG_BYTES)) / 1e9,
    sqsRequests: polls.reduce((sum, rate) => sum + rate, 0) * SECONDS_A_MONTH + ticksAMonth * tick.sqs,
    alarmMetrics,
    dashboards,
    keys,
    secrets,
    keyRequests: (keyedTables * SECONDS_A_MONTH) / KEY_SECONDS,
    storedGb,
    ...(isRecoverable ? { recoverableGb: storedGb } : {}),
  }
}

/** What a month costs in which nobody asks for anything. */
export const costsOfMonth = (needs: Needs): string => {
  const { lines, dollars } = billed(billOfMonth(needs))
  const { sources } = needs.deployed
  return [
    `A month without tasks, with ${needs.options.storedGb} GB in tables (--stored-gb) and ${sources.length} event sources:`,
    ...lines,
    `  ${money(dollars)}  in all`,
  ].join('\n')
}

import type { Deployed } from './deployed.ts'
import { billedMs, gbSeconds, PLATFORM_LOG_BYTES } from './lambda-time.ts'
import type { Measured } from './measure.ts'
import type { Units } from './meter.ts'
import { FOLLOW, POLL, RUN, SMALL_CREATE } from './operations.ts'
import type { Options } from './options.ts'
import { type Bill, billed, money } from './prices.ts'

type Needs = {
  deployed: Deployed
  options: Options
  find: (name: string) => Measured
  perSecond: Pick<Units, 'read' | 'write'>
  /** Requests that Lambda makes to SQS for a task, as the worker is deployed. */
  sourceRequests: number
}

/** What a task takes, from its creation to its end, and while somebody waits for it. */
const billOfTask = ({ deployed, options, find, perSecond, sourceRequests }: Needs): Bill => {
  const { agentSeconds, polls, tripMs } = options
  const [create, run, follow, poll] = [find(SMALL_CREATE), find(RUN), find(FOLLOW), find(POLL)]
  const parts = [create, run, follow, ...Array.from({ length: polls }, () => poll)]
  const sum = (of: (part: Measured) => number) => parts.reduce((total, part) => total + of(part), 0)
  const billedPartMs = (part: Measured) => billedMs(part, { memoryMb: deployed.memoryMb(part.by), tripMs })
  const agentMs = agentSeconds * 1_000
  const sqsRequests = sum(({ sqs }) => sqs) + sourceRequests
  return {
    writeUnits: sum(({ write }) => write) + agentSeconds * perSecond.write,
    readUnits: sum(({ read }) => read) + agentSeconds * perSecond.read,
    sqsRequests,
    fairRequests: sqsRequests,
    httpRequests: 1 + polls,
    edgeRequests: 1 + polls,
    edgeFunctionCalls: 1 + polls,
    invocations: parts.length,
    gbSeconds:
      sum((part) => gbSeconds(billedPartMs(part), deployed.memoryMb(part.by))) +
      gbSeconds(agentMs, deployed.memoryMb(run.by)),
    diskGbSeconds: deployed.diskGb(run.by) * ((agentMs + billedPartMs(run)) / 1_000),
    logGb: (sum(({ logBytes }) => logBytes) + parts.length * PLATFORM_LOG_BYTES) / 1e9,
  }
}

/** What a thousand tasks cost, line by line, without the model's own price. */
export const costsOfTasks = (needs: Needs): string => {
  const { agentSeconds, polls, tripMs } = needs.options
  const bill = Object.entries(billOfTask(needs)).map(([name, amount]) => [name, amount * 1_000])
  const { lines, dollars } = billed(Object.fromEntries(bill))
  return [
    `A thousand tasks of 0.6 kB, each created, looked at ${polls} times (--polls) and run by an agent that works for`,
    `${agentSeconds} s (--agent-seconds), ${tripMs} ms more a wait than here (--trip-ms); the model has its own price:`,
    ...lines,
    `  ${money(dollars)}  in all`,
  ].join('\n')
}

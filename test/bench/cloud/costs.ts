import type { Row } from '../row.ts'

/** List prices in US dollars, us-east-1, as of 2025; look yours up. */
const PRICES = {
  writeUnits: { perMillion: 0.625, of: 'DynamoDB write request units, on demand' },
  readUnits: { perMillion: 0.125, of: 'DynamoDB read request units, on demand' },
  sqsRequests: { perMillion: 0.4, of: 'SQS requests, standard queue' },
  httpRequests: { perMillion: 1, of: 'HTTP API requests' },
  invocations: { perMillion: 0.2, of: 'Lambda invocations' },
  gbSeconds: { perMillion: 13.3334, of: 'Lambda GB-seconds, arm64' },
} as const

/** What a task is taken to need beside what is measured here. */
const ASSUMED = {
  /** Seconds that the agent of a task runs, in a worker of 2 GB. */
  agentSeconds: 60,
  workerGb: 2,
  /** A create and two looks at the task, each 20 ms in a function of 1 GB. */
  httpRequests: 3,
  httpGbSeconds: 0.02,
  readUnits: 10,
}

/** What a thousand tasks cost, line by line, from what was measured and what is assumed. */
export const costs = (rows: readonly Row[]): string => {
  const measured = (start: string) => rows.find(({ measure }) => measure.startsWith(start))?.ours ?? 0
  const perTask: Record<keyof typeof PRICES, number> = {
    writeUnits: measured('created, claimed, completed'),
    readUnits: ASSUMED.readUnits,
    sqsRequests: measured('SQS requests a task, as deployed'),
    httpRequests: ASSUMED.httpRequests,
    invocations: ASSUMED.httpRequests + 1,
    gbSeconds: ASSUMED.agentSeconds * ASSUMED.workerGb + ASSUMED.httpRequests * ASSUMED.httpGbSeconds,
  }
  const names = Object.keys(PRICES) as (keyof typeof PRICES)[]
  const lines = names.map((name) => {
    const amount = perTask[name] * 1_000
    const dollars = (amount * PRICES[name].perMillion) / 1_000_000
    return { text: `${Math.round(amount).toLocaleString('en-US')} ${PRICES[name].of}`, dollars }
  })
  const total = lines.reduce((sum, { dollars }) => sum + dollars, 0)
  return [
    `A thousand tasks of ${ASSUMED.agentSeconds} s, without the model's own price:`,
    ...lines.map(({ text, dollars }) => `  $${dollars.toFixed(4)}  ${text}`),
    `  $${total.toFixed(4)}  in all; prices and assumptions: test/bench/cloud/costs.ts`,
  ].join('\n')
}

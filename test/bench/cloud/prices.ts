/**
 * List prices in US dollars for us-east-1 and arm64, without free tiers and discounts, from the pricing pages of the
 * services that are named, as they stood in 2025. Look yours up.
 */
export const PRICES = {
  writeUnits: { dollars: 0.625e-6, of: 'write request units', by: 'DynamoDB on demand' },
  readUnits: { dollars: 0.125e-6, of: 'read request units', by: 'DynamoDB on demand' },
  storedGb: { dollars: 0.25, of: 'GB in tables', by: 'DynamoDB' },
  recoverableGb: { dollars: 0.2, of: 'GB recoverable to any second', by: 'DynamoDB' },
  sqsRequests: { dollars: 0.4e-6, of: 'requests, standard queue', by: 'SQS' },
  fairRequests: { dollars: 0.1e-6, of: 'of them with a group, at most', by: 'SQS fair queues' },
  httpRequests: { dollars: 1e-6, of: 'requests', by: 'HTTP API' },
  edgeRequests: { dollars: 1e-6, of: 'HTTPS requests', by: 'CloudFront' },
  invocations: { dollars: 0.2e-6, of: 'invocations', by: 'Lambda' },
  gbSeconds: { dollars: 13.3334e-6, of: 'GB-seconds', by: 'Lambda, arm64' },
  diskGbSeconds: { dollars: 0.0309e-6, of: 'GB-seconds of /tmp above 512 MB', by: 'Lambda' },
  logGb: { dollars: 0.5, of: 'GB of logs', by: 'CloudWatch' },
  alarmMetrics: { dollars: 0.1, of: 'metrics with alarms', by: 'CloudWatch' },
  dashboards: { dollars: 3, of: 'dashboards', by: 'CloudWatch' },
  keys: { dollars: 1, of: 'keys of your own', by: 'KMS' },
  secrets: { dollars: 0.4, of: 'secrets', by: 'Secrets Manager' },
  edgeFunctionCalls: { dollars: 0.1e-6, of: 'of them through a function', by: 'CloudFront Functions' },
  keyRequests: { dollars: 3e-6, of: 'requests for keys of tables, at most', by: 'KMS' },
} as const

export type Priced = keyof typeof PRICES
export type Bill = Partial<Record<Priced, number>>

/** A bill line by line, with its sum. */
export const billed = (bill: Bill): { lines: string[]; dollars: number } => {
  const items = Object.entries(bill).map(([name, amount]) => {
    const { dollars, of, by } = PRICES[name as Priced]
    return { cost: amount * dollars, text: `${formatAmount(amount)} ${of} (${by})` }
  })
  const dollars = items.reduce((sum, { cost }) => sum + cost, 0)
  return { lines: items.map(({ cost, text }) => `  ${money(cost)}  ${text}`), dollars }
}

export const money = (dollars: number): string => `$${dollars.toFixed(4)}`.padStart(9)

const formatAmount = (amount: number): string =>
  amount >= 100 ? Math.round(amount).toLocaleString('en-US') : String(Number(amount.toPrecision(3)))

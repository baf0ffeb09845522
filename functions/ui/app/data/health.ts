import { ApiError } from '../../../../lib/api/api-error.ts'
import type { DetailedHealth } from '../../../../lib/health/schema.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

const isReport = (body: unknown): body is DetailedHealth =>
  typeof body === 'object' && body !== null && 'components' in body

/** An unhealthy service answers 503 with the same report. */
const reportIn = (error: unknown): DetailedHealth => {
  if (error instanceof ApiError && isReport(error.body)) return error.body
  throw error
}

export const useHealth = () =>
  useLive(['health'], (signal) => client.detailedHealth({}, { signal }).catch(reportIn), EVERY_MS.calm)

/** Metrics of the process that answers. */
export const useMetrics = () =>
  useLive(['metrics'], (signal) => client.metrics({}, { signal }), EVERY_MS.calm)

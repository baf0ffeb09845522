import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

export const useQueueStatus = () =>
  useLive(['queue'], (signal) => client.queueStatus({}, { signal }), EVERY_MS.list)

import { toTrace } from '../core/trace.ts'
import type { Handlers } from '../http/route.ts'
import type { scheduleRoutes } from './contract.ts'
import type { Schedules } from './service.ts'

type Needs = { schedules: Schedules }

export const scheduleHandlers = ({ schedules }: Needs): Handlers<typeof scheduleRoutes> => ({
  listSchedules: ({ query }) => schedules.list(query),
  createSchedule: async ({ body }, { principal }) => ({ schedule: await schedules.create(principal, body) }),
  previewSchedule: ({ query }) => schedules.preview(query),
  getSchedule: ({ params }) => schedules.get(params.id),
  changeSchedule: async ({ params, body }, { principal }) => ({
    schedule: await schedules.change(principal, params.id, body),
  }),
  deleteSchedule: async ({ params }, { principal }) => {
    await schedules.remove(principal, params.id)
    return { message: 'Schedule deleted' }
  },
  runSchedule: async ({ params }, call) => ({
    message: 'Task created',
    task: await schedules.runNow(call.principal, params.id, toTrace(call)),
  }),
})

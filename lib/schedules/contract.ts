import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { PageQuery, pageAnswer } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { TaskSchema } from '../tasks/schema.ts'
import {
  ChangeScheduleSchema,
  CreateScheduleSchema,
  ListedScheduleSchema,
  PreviewQuery,
  ScheduleSchema,
} from './schema.ts'

const params = idParams('sched')
const answer = z.object({ schedule: ScheduleSchema })
const nextRuns = z.array(z.iso.datetime())

export const scheduleRoutes = defineRoutes({
  listSchedules: {
    method: 'GET',
    path: '/api/schedules',
    summary: 'List schedules, newest first',
    access: 'session',
    query: PageQuery,
    response: z.object({ schedules: z.array(ListedScheduleSchema), ...pageAnswer }),
  },
  createSchedule: {
    method: 'POST',
    path: '/api/schedules',
    summary: 'Create a schedule: a task is created at each due time',
    about: 'What was due while the service was down is made up for once.',
    access: 'session',
    body: CreateScheduleSchema,
    status: 201,
    response: answer,
  },
  previewSchedule: {
    method: 'GET',
    path: '/api/schedules/preview',
    summary: 'Say when a pattern would be due next; nothing is stored',
    about: 'An invalid pattern is 400, and says why.',
    access: 'session',
    query: PreviewQuery,
    response: z.object({ nextRuns }),
  },
  getSchedule: {
    method: 'GET',
    path: '/api/schedules/{id}',
    summary: 'Read a schedule, and when it is due next',
    access: 'session',
    params,
    response: answer.extend({ nextRuns }),
  },
  changeSchedule: {
    method: 'PATCH',
    path: '/api/schedules/{id}',
    summary: 'Change, pause or resume a schedule',
    about: 'What is left out stays as it is.',
    access: 'session',
    params,
    body: ChangeScheduleSchema,
    response: answer,
  },
  deleteSchedule: {
    method: 'DELETE',
    path: '/api/schedules/{id}',
    summary: 'Delete a schedule; tasks that it made stay',
    access: 'session',
    params,
    response: z.object({ message: z.string() }),
  },
  runSchedule: {
    method: 'POST',
    path: '/api/schedules/{id}/run',
    summary: 'Create the task of a schedule now, whether it is enabled or not',
    about: 'Its next due time stays as it is.',
    access: 'session',
    params,
    response: z.object({ message: z.string(), task: TaskSchema }),
  },
})

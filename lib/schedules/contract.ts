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
    about: 'Runs missed while the service was down are made up for once.',
    access: 'session',
    body: CreateScheduleSchema,
    status: 201,
    response: answer,
  },
  previewSchedule: {
    method: 'GET',
    path: '/api/schedules/preview',
    summary: 'Preview the next runs of a pattern; nothing is stored',
    about: 'An invalid pattern is 400, with the reason.',
    access: 'session',
    query: PreviewQuery,
    response: z.object({ nextRuns }),
  },
  getSchedule: {
    method: 'GET',
    path: '/api/schedules/{id}',
    summary: 'Read a schedule and its next run',
    access: 'session',
    params,
    response: answer.extend({ nextRuns }),
  },
  changeSchedule: {
    method: 'PATCH',
    path: '/api/schedules/{id}',
    summary: 'Change, pause or resume a schedule',
    about: 'Fields that are not sent stay unchanged.',
    access: 'session',
    params,
    body: ChangeScheduleSchema,
    response: answer,
  },
  deleteSchedule: {
    method: 'DELETE',
    path: '/api/schedules/{id}',
    summary: 'Delete a schedule; its tasks stay',
    access: 'session',
    params,
    response: z.object({ message: z.string() }),
  },
  runSchedule: {
    method: 'POST',
    path: '/api/schedules/{id}/run',
    summary: 'Run a schedule now, even if it is paused',
    about: 'Its next run does not change.',
    access: 'session',
    params,
    response: z.object({ message: z.string(), task: TaskSchema }),
  },
})

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
    summary: 'List schedules',
    about: 'Returns all schedules, newest first.',
    access: 'session',
    query: PageQuery,
    response: z.object({ schedules: z.array(ListedScheduleSchema), ...pageAnswer }),
  },
  createSchedule: {
    method: 'POST',
    path: '/api/schedules',
    summary: 'Create a schedule',
    about: 'Creates a task at each due time. Runs missed while the service was down are made up once.',
    access: 'session',
    body: CreateScheduleSchema,
    status: 201,
    response: answer,
  },
  previewSchedule: {
    method: 'GET',
    path: '/api/schedules/preview',
    summary: 'Preview a schedule',
    about:
      'Returns the next runs of a pattern without storing anything. Returns 400 with the reason for an invalid pattern.',
    access: 'session',
    query: PreviewQuery,
    response: z.object({ nextRuns }),
  },
  getSchedule: {
    method: 'GET',
    path: '/api/schedules/{id}',
    summary: 'Get a schedule',
    about: 'Includes its next runs.',
    access: 'session',
    params,
    response: answer.extend({ nextRuns }),
  },
  changeSchedule: {
    method: 'PATCH',
    path: '/api/schedules/{id}',
    summary: 'Update a schedule',
    about: 'Use `enabled` to pause or resume the schedule. Omitted fields stay unchanged.',
    access: 'session',
    params,
    body: ChangeScheduleSchema,
    response: answer,
  },
  deleteSchedule: {
    method: 'DELETE',
    path: '/api/schedules/{id}',
    summary: 'Delete a schedule',
    about: 'Tasks that it created are kept.',
    access: 'session',
    params,
    response: z.object({ message: z.string() }),
  },
  runSchedule: {
    method: 'POST',
    path: '/api/schedules/{id}/run',
    summary: 'Run a schedule now',
    about: 'Also works for a paused schedule. The next run does not change.',
    access: 'session',
    params,
    response: z.object({ message: z.string(), task: TaskSchema }),
  },
})

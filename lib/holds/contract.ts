import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { defineRoutes } from '../http/route.ts'
import { HoldSchema } from './schema.ts'

export const holdRoutes = defineRoutes({
  listHolds: {
    method: 'GET',
    path: '/api/holds',
    summary: 'List the providers that are on hold because their usage limit was reached',
    about: 'No new run of an agent that needs such a provider starts; one that needs another provider does.',
    access: 'session',
    response: z.object({ holds: z.array(HoldSchema) }),
  },
  removeHold: {
    method: 'DELETE',
    path: '/api/holds/{id}',
    summary: 'Start the tasks that wait for a provider',
    about: 'If the provider still refuses calls, it is put on hold again, and no attempt is counted.',
    access: 'admin',
    params: idParams('hold'),
    response: z.object({ message: z.string() }),
  },
})

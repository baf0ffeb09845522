import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { defineRoutes } from '../http/route.ts'
import { HoldSchema } from './schema.ts'

export const holdRoutes = defineRoutes({
  listHolds: {
    method: 'GET',
    path: '/api/holds',
    summary: 'List provider holds',
    about:
      'Returns the providers that reached their usage limit. Runs that need such a provider do not start; other runs do.',
    access: 'session',
    response: z.object({ holds: z.array(HoldSchema) }),
  },
  removeHold: {
    method: 'DELETE',
    path: '/api/holds/{id}',
    summary: 'Remove a provider hold',
    about:
      'Starts the waiting tasks. If the provider still rejects calls, it is put on hold again, and no attempt is counted.',
    access: 'admin',
    params: idParams('hold'),
    response: z.object({ message: z.string() }),
  },
})

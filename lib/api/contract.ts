import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'

export const apiRoutes = defineRoutes({
  openApi: {
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This description of the API, as OpenAPI 3.1',
    access: 'public',
    response: z.record(z.string(), z.unknown()),
  },
})

import * as z from 'zod'
import { pageAnswer, pageQuery, queryFrom, queryUntil } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { AuditRecordSchema } from './schema.ts'

export const ListAuditQuery = z.object({
  ...pageQuery,
  userId: z.string().max(200).optional(),
  action: z.string().max(200).optional(),
  from: queryFrom.optional().describe('At or after this time'),
  to: queryUntil.optional().describe('At or before this time'),
})

export const auditRoutes = defineRoutes({
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    summary: 'List audit entries',
    about: 'Returns changes to the installation with the user and time, newest first. Contains no secrets.',
    access: 'admin',
    query: ListAuditQuery,
    response: z.object({ records: z.array(AuditRecordSchema), ...pageAnswer }),
  },
})

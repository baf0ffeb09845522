import * as z from 'zod'
import { pageAnswer, pageQuery, queryFrom, queryUntil } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { AuditRecordSchema } from './schema.ts'

export const ListAuditQuery = z.object({
  ...pageQuery,
  userId: z.string().max(200).optional(),
  action: z.string().max(200).optional(),
  from: queryFrom.optional().describe('Inclusive'),
  to: queryUntil.optional(),
})

export const auditRoutes = defineRoutes({
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    summary: 'List changes to the installation, newest first',
    about: 'Who changed what, and from where. Contains no secrets.',
    access: 'admin',
    query: ListAuditQuery,
    response: z.object({ records: z.array(AuditRecordSchema), ...pageAnswer }),
  },
})

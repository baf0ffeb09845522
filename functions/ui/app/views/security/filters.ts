import { TOOL_CALL_FILTERS } from '../../data/security.ts'

export type AuditSearch = { [Name in (typeof TOOL_CALL_FILTERS)[number] | 'entry']?: string | undefined }

const names = [...TOOL_CALL_FILTERS, 'entry']

export const searchIn = (search: Record<string, unknown>): AuditSearch =>
  Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, String(search[name])]] : [])))

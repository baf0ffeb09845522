import type * as z from 'zod'
import { readRowCount } from '../core/collection.ts'
import { definedFields } from '../core/defined-fields.ts'
import type { Masker } from '../core/masker.ts'
import { countedPage } from '../core/page.ts'
import type { Actor } from '../core/principal.ts'
import { retry } from '../core/retry.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Store, Test } from '../ports/store.ts'
import type { ListAuditQuery } from './contract.ts'
import { AUDIT_COUNTER, type AuditRow, auditRows } from './rows.ts'
import type { AuditRecord } from './schema.ts'

const RETENTION_MS = 400 * 86_400_000

type Needs = { store: Store; clock: Clock; ids: Ids; log: Log; masker: Masker }

export type Audit = ReturnType<typeof createAudit>

/** The record of changes of the installation: user, time and action. */
export const createAudit = ({ store, clock, ids, log, masker }: Needs) => {
  /** Records an action. `action` is `<subject>.<verb>`; details contain no secrets. */
  const record = async ({ userId }: Actor, action: string, details: object = {}): Promise<void> => {
    log.info({ audit: action, userId, details }, 'audit')
    const now = clock.now()
    const row: AuditRow = {
      id: ids.next('aud'),
      timestamp: iso(now),
      userId,
      action,
      details: masker.logValue(details) as AuditRecord['details'],
      expiresAt: now + RETENTION_MS,
    }
    // The change has been made: it must be recorded even if storage is busy for a moment.
    await retry(() => store.commit<AuditRow>({ insert: auditRows, row }), clock)
  }

  /** A filtered list is counted row by row; the counter of all records may lag behind them by 2 s. */
  const countRecords = (where: Test<AuditRow>[]): Promise<number> =>
    where.length > 0 ? store.count(auditRows, { index: 'newest', where }) : readRowCount(store, AUDIT_COUNTER)

  const list = async (query: z.output<typeof ListAuditQuery>) => {
    const where = toTests(query)
    const scope = `audit:${JSON.stringify(where)}`
    const { rows, facts } = await countedPage(query, scope, {
      page: (range) => store.page(auditRows, { index: 'newest', where, order: 'desc', ...range }),
      count: () => countRecords(where),
    })
    return { records: rows.map(toRecord), ...facts }
  }

  return { record, list }
}

const toTests = ({ userId, action, from, to }: z.output<typeof ListAuditQuery>): Test<AuditRow>[] => [
  ...(userId === undefined ? [] : [{ field: 'userId' as const, in: [userId] }]),
  ...(action === undefined ? [] : [{ field: 'action' as const, in: [action] }]),
  ...((from ?? to) ? [{ field: 'timestamp' as const, ...definedFields({ from, to }) }] : []),
]

const toRecord = ({ expiresAt: _expires, ...record }: AuditRow): AuditRecord => record

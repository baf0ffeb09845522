import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../ports/clock.ts'
import { type Plan, quoted } from './plan.ts'

type Needs = { db: DatabaseSync; plans: readonly Plan[]; clock: Clock }

const prepareSweep = (db: DatabaseSync, plan: Plan, expires: string) => {
  const field = quoted(expires)
  const chosen = `SELECT _rid FROM ${plan.table} WHERE ${field} <= ? ORDER BY ${field}, _rid LIMIT ?`
  const details = db.prepare(`DELETE FROM ${plan.detailTable} WHERE _rid IN (${chosen})`)
  const rows = db.prepare(`DELETE FROM ${plan.table} WHERE _rid IN (${chosen})`)
  return (now: number, limit: number): number => {
    details.run(now, limit)
    return Number(rows.run(now, limit).changes)
  }
}

/** Removes rows that have expired, at most `limit` in one call, and says how many. */
export const openSweep = ({ db, plans, clock }: Needs) => {
  const sweeps = plans.flatMap((plan) =>
    plan.expires === undefined ? [] : [prepareSweep(db, plan, plan.expires)],
  )
  return (limit: number): number => {
    let removed = 0
    const now = clock.now()
    db.exec('BEGIN IMMEDIATE')
    try {
      for (const sweep of sweeps) if (removed < limit) removed += sweep(now, limit - removed)
      db.exec('COMMIT')
    } catch (thrown) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw thrown
    }
    return removed
  }
}

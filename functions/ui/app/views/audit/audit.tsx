import type { ReactNode } from 'react'
import { AdminsOnly } from '../../components/admins-only.tsx'
import { Button } from '../../components/button.tsx'
import { PagedTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { View } from '../../components/view.tsx'
import { type AuditFilters, useAudit } from '../../data/audit.ts'
import { useAddress } from './address.ts'
import { columnsWith } from './columns.tsx'
import { Entry } from './entry.tsx'
import { FilterBar } from './filter-bar.tsx'

export const Audit = (): ReactNode => (
  <View title="Audit" isFixed>
    <AdminsOnly what="The audit is">
      <List />
    </AdminsOnly>
  </View>
)

const List = () => {
  const { filters, entry, change, clear, open } = useAddress()
  const pages = useAudit(filters)
  const one = pages.rows.find(({ id }) => id === entry)
  return (
    <>
      <FilterBar
        filters={filters}
        onChange={change}
        onClear={clear}
        total={pages.total}
        error={pages.error}
      />
      <PagedTable
        label="Audit"
        columns={columnsWith(open)}
        pages={pages}
        isTallOnPhones
        empty={<Nothing filters={filters} onClear={clear} />}
      />
      {one && <Entry record={one} onClose={() => open(undefined)} onOnly={change} />}
    </>
  )
}

const Nothing = ({ filters, onClear }: { filters: AuditFilters; onClear: () => void }) =>
  Object.keys(filters).length > 0 ? (
    <Empty title="No entries match these filters">
      <Button onClick={onClear}>Clear filters</Button>
    </Empty>
  ) : (
    <Empty title="No audit entries yet">
      Changes to accounts, tokens, devices and settings, and failed sign-ins, are kept for 400 days.
    </Empty>
  )

import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { DlqCounts } from '../../../../../lib/queue/schema.ts'
import { PagedTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { type DeadLetter, type DeadLetterFilter, useDeadLetters } from '../../data/dead-letters.ts'
import { deadLetterColumns } from './columns.tsx'
import { DecideMany } from './decide-many.tsx'
import { useDecisions } from './decision.ts'
import { FilterTabs } from './filter-tabs.tsx'
import { LetterDialog } from './letter-dialog.tsx'

const letterName = ({ title }: DeadLetter) => title
const none: ReadonlySet<string> = new Set()

type Props = {
  status: DeadLetterFilter
  /** Narrows to a group of failures. */
  fingerprint: string | undefined
  counts: DlqCounts | undefined
}

export const DeadLetters = ({ status, fingerprint, counts }: Props) => {
  const pages = useDeadLetters(status, fingerprint)
  const { rows, total, isPending, onMore } = pages
  const [selected, setSelected] = useState(none)
  const navigate = useNavigate({ from: '/tasks/queue' })
  const { decide } = useDecisions()
  const retry = (id: string) => {
    const letter = rows.find((row) => row.id === id)
    if (letter?.status === 'pending') decide(letter, 'retry')
  }
  const close = () => void navigate({ search: ({ item, ...rest }) => rest, replace: true })
  return (
    <>
      {selected.size > 0 ? (
        <DecideMany
          letters={rows.filter(({ id }) => selected.has(id))}
          waiting={status === 'pending' ? total : undefined}
          fingerprint={fingerprint}
          onClear={() => setSelected(none)}
        />
      ) : (
        <FilterTabs counts={fingerprint === undefined ? counts : undefined} fingerprint={fingerprint} />
      )}
      <PagedTable
        label="Dead letters"
        columns={deadLetterColumns(status)}
        pages={pages}
        getName={letterName}
        selection={{ selected, onSelect: setSelected }}
        isTallOnPhones
        {...(selected.size === 0 && { acts: { retry } })}
        empty={empties[status]}
      />
      <LetterDialog rows={rows} isLoading={isPending} onMore={onMore} onClose={close} />
    </>
  )
}

const curl = () => `curl '${location.origin}/api/dlq?status=all'`

const empties: Readonly<Record<DeadLetterFilter, ReactNode>> = {
  pending: (
    <Empty title="No pending dead letters" curl={curl()}>
      Tasks that fail in all their attempts appear here, to retry or discard.
    </Empty>
  ),
  resolved: <Empty title="No resolved dead letters">Dead letters that you retry appear here.</Empty>,
  discarded: <Empty title="No discarded dead letters">Dead letters that you discard appear here.</Empty>,
  all: (
    <Empty title="No dead letters" curl={curl()}>
      Tasks that fail in all their attempts appear here.
    </Empty>
  ),
}

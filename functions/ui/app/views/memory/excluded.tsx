import type { Column } from '../../components/data-row.tsx'
import { PagedTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { type ExcludedFile, useExcludedFiles } from '../../data/memory.ts'

export const reasons: Readonly<Record<ExcludedFile['reason'], string>> = {
  too_large: 'larger than 1 MiB',
  not_utf8: 'not UTF-8',
  binary: 'binary file',
  bad_name: 'unsupported name',
  path_too_long: 'path too long',
  too_many: 'too many files',
  link: 'symbolic link',
  unreadable: 'unreadable; retried later',
  removed: 'removed until it changes',
}

export const Excluded = () => {
  const pages = useExcludedFiles()
  return (
    <PagedTable
      label="Excluded files"
      columns={columns}
      pages={pages}
      empty={<Empty title="No excluded files">All Markdown files of the last sync are in memory.</Empty>}
    />
  )
}

const columns: readonly Column<ExcludedFile>[] = [
  {
    id: 'path',
    header: 'File',
    width: 'minmax(0, 1fr)',
    cell: ({ path }) => <span className="truncate font-mono">{startOfLine(path)}</span>,
  },
  {
    id: 'reason',
    header: 'Why',
    width: 'minmax(0, 1fr)',
    cell: ({ reason }) => <span className="truncate text-muted-foreground">{reasons[reason]}</span>,
  },
]

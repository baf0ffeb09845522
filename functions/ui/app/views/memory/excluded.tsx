import type { Column } from '../../components/data-row.tsx'
import { PagedTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { type ExcludedFile, useExcludedFiles } from '../../data/memory.ts'

export const reasons: Readonly<Record<ExcludedFile['reason'], string>> = {
  too_large: 'larger than 1 MiB',
  not_utf8: 'no text in UTF-8',
  binary: 'no text: it has bytes of zero',
  bad_name: 'a name that memory cannot keep',
  path_too_long: 'too long a path',
  too_many: 'one file too many',
  link: 'a link, which is not followed',
  unreadable: 'could not be read; it is tried again',
  removed: 'forgotten by hand, until it changes',
}

export const Excluded = () => {
  const pages = useExcludedFiles()
  return (
    <PagedTable
      label="Files left out"
      columns={columns}
      pages={pages}
      empty={
        <Empty title="No file is left out">Every Markdown file that the last sync saw is in memory.</Empty>
      }
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

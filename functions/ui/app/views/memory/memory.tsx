import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { switchLinkClass } from '../../components/button.tsx'
import { Facts } from '../../components/facts.tsx'
import { formatNumber } from '../../components/format.ts'
import { SearchField } from '../../components/search-field.tsx'
import { View } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useExcludedCount, useMemoryStats } from '../../data/memory.ts'
import { CreateExperience } from './add-experience.tsx'
import { MemoryActions } from './care.tsx'
import { Chunks } from './chunks.tsx'
import { Excluded } from './excluded.tsx'
import { Experiences } from './experiences.tsx'
import { Files } from './files.tsx'
import { Found } from './found.tsx'
import { Sessions } from './sessions.tsx'

export const Memory = (): ReactNode => {
  const { show, q, path } = useSearch({ from: '/memory' })
  const isFiles = show === undefined
  return (
    <View title="Memory" isFixed aside={<Stats />} actions={<MemoryActions />}>
      <Bar />
      {show === 'experiences' && <Experiences key={q} q={q} />}
      {show === 'sessions' && <Sessions />}
      {show === 'excluded' && <Excluded />}
      {isFiles && path !== undefined && <Chunks key={path} path={path} />}
      {isFiles && path === undefined && (q === undefined ? <Files /> : <Found q={q} />)}
    </View>
  )
}

const statsClass = 'text-muted-foreground max-sm:order-last max-sm:w-full'

const Stats = () => {
  const { data } = useMemoryStats()
  if (!data) return <span className={statsClass}>…</span>
  const { files, chunks, lastSync, method, embeddingModel, withoutVector = 0, refusedChunks = 0 } = data
  const byWords = withoutVector + refusedChunks
  return (
    <span className={statsClass}>
      <Facts
        facts={[
          `${formatNumber(files)} ${files === 1 ? 'file' : 'files'}, ${formatNumber(chunks)} ${chunks === 1 ? 'chunk' : 'chunks'}`,
          `searched by ${method === 'hybrid' ? `words and ${embeddingModel}` : 'words'}`,
          byWords > 0 && `${formatNumber(byWords)} by keyword only`,
          lastSync === null ? (
            'never synced'
          ) : (
            <>
              synced <When at={lastSync} />
            </>
          ),
        ]}
      />
    </span>
  )
}

const ExcludedCount = () => {
  const { data: count = 0 } = useExcludedCount()
  return count > 0 && <span className="ml-1.5 text-xs tabular-nums">{count}</span>
}

const Bar = () => {
  const { q = '', show } = useSearch({ from: '/memory' })
  const navigate = useNavigate({ from: '/memory' })
  const ask = (text: string) =>
    void navigate({
      search: { ...(show === 'experiences' ? { show } : {}), ...(text === '' ? {} : { q: text }) },
      replace: true,
    })
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b px-4 py-2 md:px-6">
      <SearchField
        label="Search memory"
        placeholder={show === 'experiences' ? 'Describe a similar task' : 'Search memory'}
        value={q}
        onChange={ask}
        className="w-80 max-md:w-full"
      />
      <nav aria-label="Parts of memory" className="flex gap-1 max-sm:gap-0">
        <Link
          to="/memory"
          search={({ q }) => ({ q, show: undefined })}
          activeOptions={{ explicitUndefined: true }}
          className={switchLinkClass}
        >
          Files
        </Link>
        <Link to="/memory" search={({ q }) => ({ q, show: 'experiences' })} className={switchLinkClass}>
          Experiences
        </Link>
        <Link to="/memory" search={{ show: 'sessions' }} className={switchLinkClass}>
          Sessions
        </Link>
        <Link to="/memory" search={{ show: 'excluded' }} className={switchLinkClass}>
          Excluded
          <ExcludedCount />
        </Link>
      </nav>
      {show === 'experiences' && <CreateExperience />}
    </div>
  )
}

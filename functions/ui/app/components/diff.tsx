import { ChevronRight } from 'lucide-react'
import { Fragment, memo, type ReactNode, useCallback, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { createStored } from '../data/stored.ts'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'
import {
  FILES_AT_ONCE,
  lineWeight,
  openAtFirst,
  pairWeight,
  splitByWeight,
  startOfDiffLine,
} from './diff-budget.ts'
import { type DiffLine, type FileDiff, type Pair, parseDiff, sideBySide } from './diff-files.ts'
import { buildFileTree, type Folder } from './diff-tree.ts'
import { formatNumber } from './format.ts'
import { LongText } from './long-text.tsx'
import { useNarrow } from './narrow.ts'
import { Scroller } from './scroller.tsx'
import { Segments } from './segments.tsx'
import { startOfLine } from './text-weight.ts'

type Form = 'unified' | 'split'
const form = createStored<Form>('diff-form', 'unified', (value) => value === 'unified' || value === 'split')

/** A text that is not a diff is shown as it is. */
export const Diff = ({ text }: { text: string }) => {
  const { files, before } = useMemo(() => parseDiff(text), [text])
  const chosen = form.use()
  const isNarrow = useNarrow()
  const [open, setOpen] = useState(() => openAtFirst(files))
  const [most, setMost] = useState(FILES_AT_ONCE)
  const visibleFiles = useMemo(() => files.slice(0, most), [files, most])
  const toggle = useCallback(
    (at: number, isOpen: boolean) =>
      setOpen((before) => {
        if (before.has(at) === isOpen) return before
        return isOpen ? new Set([...before, at]) : new Set([...before].filter((other) => other !== at))
      }),
    [],
  )
  const goTo = useCallback(
    (at: number) => {
      // The lines must be rendered before the page can scroll to them.
      flushSync(() => toggle(at, true))
      const file = document.getElementById(fileElementId(at))
      file?.scrollIntoView({ block: 'start' })
      file?.querySelector('summary')?.focus({ preventScroll: true })
    },
    [toggle],
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-3.5 py-1.5">
        {files.length > 0 && <Sums files={files} />}
        <span className="ml-auto flex items-center gap-1">
          {!isNarrow && (
            <Segments
              label="Diff layout"
              value={chosen}
              options={{ unified: 'Unified', split: 'Split' }}
              onChange={form.set}
            />
          )}
          <Copy text={text} label="Copy as patch" />
        </span>
      </div>
      {before !== '' && <Before text={before} isAlone={files.length === 0} />}
      {files.length > 1 && <FileList files={visibleFiles} goTo={goTo} />}
      <div className="divide-y">
        {visibleFiles.map((file, at) => (
          <File
            // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
            key={at}
            at={at}
            file={file}
            form={isNarrow ? 'unified' : chosen}
            isOpen={open.has(at)}
            onToggle={toggle}
          />
        ))}
      </div>
      {files.length > most && (
        <More
          most={FILES_AT_ONCE}
          rest={files.length - most}
          unit="files"
          onMore={() => setMost(most + FILES_AT_ONCE)}
        />
      )}
    </>
  )
}

const Before = ({ text, isAlone }: { text: string; isAlone: boolean }) => (
  <div className="flex flex-col gap-1.5 border-b px-3.5 py-2">
    {isAlone && <p className="text-muted-foreground">This diff cannot be displayed as files:</p>}
    <LongText label="Text of the diff" text={text} />
  </div>
)

type MoreProps = { most: number; rest: number; unit: 'files' | 'lines'; onMore: () => void }

const More = ({ most, rest, unit, onMore }: MoreProps) => (
  <div className="flex flex-wrap items-center gap-2 border-t px-3.5 py-2">
    <Button size="small" onClick={onMore}>
      Show {formatNumber(Math.min(most, rest))} more {unit}
    </Button>
    <span className="text-muted-foreground">
      {formatNumber(rest)} {unit} hidden
    </span>
  </div>
)

const fileElementId = (n: number) => `file-${n + 1}`

const Sums = ({ files }: { files: readonly FileDiff[] }) => {
  const sum = (count: (file: FileDiff) => number) => files.reduce((total, file) => total + count(file), 0)
  return (
    <span className="flex items-center gap-2">
      <span>{files.length === 1 ? '1 file' : `${formatNumber(files.length)} files`}</span>
      <Changed added={sum(({ added }) => added)} removed={sum(({ removed }) => removed)} />
    </span>
  )
}

const Changed = ({ added, removed }: { added: number; removed: number }) => (
  <span className="flex shrink-0 gap-1.5 font-mono text-xs">
    <span className="text-completed">+{formatNumber(added)}</span>
    <span className="text-failed">−{formatNumber(removed)}</span>
  </span>
)

const Binary = () => <span className="shrink-0 text-xs text-muted-foreground">binary</span>

/** Above this number of files, folders start collapsed. */
const MOST_UNFOLDED = 30

type GoTo = (at: number) => void

const FileList = memo(({ files, goTo }: { files: readonly FileDiff[]; goTo: GoTo }) => (
  <nav aria-label="Changed files" className="border-b py-1.5">
    <Scroller role="group" label="List of changed files" className="max-h-64 overflow-y-auto">
      <Tree folder={buildFileTree(files)} depth={0} isOpen={files.length <= MOST_UNFOLDED} goTo={goTo} />
    </Scroller>
  </nav>
))

const indent = (depth: number) => ({ paddingLeft: `${0.875 + depth}rem` })

type TreeProps = { folder: Folder; depth: number; isOpen: boolean; goTo: GoTo }

const Tree = ({ folder: { folders, files }, depth, isOpen, goTo }: TreeProps) => (
  <ul>
    {folders.map((folder) => (
      <li key={folder.name}>
        <details open={isOpen} className="group/folder">
          <summary className="flex items-center gap-1.5 py-0.5 pr-3.5 hover:bg-muted" style={indent(depth)}>
            <ChevronRight
              size={13}
              className="shrink-0 text-muted-foreground [details[open]>summary>&]:rotate-90"
            />
            <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted-foreground">
              {startOfLine(folder.name)}/
            </span>
            <Changed {...folder} />
          </summary>
          <Tree folder={folder} depth={depth + 1} isOpen={isOpen} goTo={goTo} />
        </details>
      </li>
    ))}
    {files.map(({ name, path, at, isBinary, ...counts }) => (
      <li key={at}>
        <button
          type="button"
          title={path}
          className="flex w-full items-center gap-2 py-0.5 pr-3.5 text-left hover:bg-muted"
          style={indent(depth + (depth > 0 || folders.length > 0 ? 1 : 0))}
          onClick={() => goTo(at)}
        >
          <span className="min-w-0 flex-1 truncate font-mono text-xs">{startOfLine(name)}</span>
          {isBinary ? <Binary /> : <Changed {...counts} />}
        </button>
      </li>
    ))}
  </ul>
)

/** The folder is truncated, the file name is not. */
const Path = ({ path, renamedFrom }: { path: string; renamedFrom: string | undefined }) => {
  const at = path.lastIndexOf('/') + 1
  return (
    <span className="flex min-w-0 flex-1 flex-wrap gap-x-3 text-xs">
      <span className="flex min-w-0 font-mono" title={path}>
        <span className="truncate text-muted-foreground">{path.slice(0, at)}</span>
        <span className="shrink-0">{path.slice(at)}</span>
      </span>
      {renamedFrom !== undefined && (
        <span className="min-w-0 truncate text-muted-foreground" title={renamedFrom}>
          renamed from <span className="font-mono">{renamedFrom}</span>
        </span>
      )}
    </span>
  )
}

type FileProps = {
  at: number
  file: FileDiff
  form: Form
  isOpen: boolean
  onToggle: (at: number, isOpen: boolean) => void
}

const File = memo(({ at, file, form: layout, isOpen, onToggle }: FileProps) => {
  const { path, renamedFrom, isBinary, lines, added, removed } = file
  return (
    <details
      id={fileElementId(at)}
      open={isOpen}
      className="[contain-intrinsic-block-size:auto_2.25rem] [content-visibility:auto]"
      onToggle={({ currentTarget }) => onToggle(at, currentTarget.open)}
    >
      <summary className="flex items-center gap-2 px-3.5 py-2 hover:bg-muted">
        <Path path={path} renamedFrom={renamedFrom} />
        {isBinary ? <Binary /> : <Changed added={added} removed={removed} />}
      </summary>
      {isOpen && <Lines key={layout} path={path} lines={lines} form={layout} />}
    </details>
  )
})

const Lines = ({ path, lines, form: layout }: { path: string; lines: readonly DiffLine[]; form: Form }) => {
  const [most, setMost] = useState(1)
  const pieces = useMemo(
    () =>
      layout === 'split'
        ? splitByWeight(sideBySide(lines), pairWeight).map((pairs) => ({
            count: pairs.length,
            element: <Split pairs={pairs} />,
          }))
        : splitByWeight(lines, lineWeight).map((some) => ({
            count: some.length,
            element: <Unified lines={some} />,
          })),
    [lines, layout],
  )
  const linesIn = (some: typeof pieces) => some.reduce((sum, { count }) => sum + count, 0)
  const rest = linesIn(pieces.slice(most))
  return (
    <>
      <Scroller role="group" label={`Changes of ${path}`} className="overflow-x-auto border-t pb-2">
        <div className={`font-mono text-xs leading-5 ${layout === 'split' ? '' : 'w-max min-w-full'}`}>
          {pieces.slice(0, most).map(({ element }, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
            <Fragment key={n}>{element}</Fragment>
          ))}
        </div>
      </Scroller>
      {rest > 0 && (
        <More
          most={linesIn(pieces.slice(most, most + PIECES_AT_ONCE))}
          rest={rest}
          unit="lines"
          onMore={() => setMost(most + PIECES_AT_ONCE)}
        />
      )}
    </>
  )
}

const PIECES_AT_ONCE = 2

const looks: Readonly<Record<DiffLine['kind'], { row: string; sign: string }>> = {
  added: { row: 'bg-completed/12', sign: '+' },
  removed: { row: 'bg-failed/12', sign: '−' },
  hunk: { row: 'bg-muted text-muted-foreground', sign: '' },
  note: { row: 'text-muted-foreground', sign: '' },
  same: { row: '', sign: '' },
}

const numberClass = 'shrink-0 pr-2 text-right text-muted-foreground select-none'
const signClass = 'w-4 shrink-0 select-none'

const Unified = memo(({ lines }: { lines: readonly DiffLine[] }) =>
  lines.map((line, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
    <div key={n} className={`flex pr-3.5 ${looks[line.kind].row}`}>
      <span className={`w-11 ${numberClass}`}>{line.before}</span>
      <span className={`w-11 ${numberClass}`}>{line.after}</span>
      <span className={signClass}>{looks[line.kind].sign}</span>
      <span className="whitespace-pre">
        <Words text={line.text || ' '} />
      </span>
    </div>
  )),
)

const Split = memo(({ pairs }: { pairs: readonly Pair[] }) =>
  pairs.map(({ left, right }, n) =>
    left && (left.kind === 'hunk' || left.kind === 'note') ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
      <div key={n} className={`px-3.5 [overflow-wrap:anywhere] ${looks[left.kind].row}`}>
        <Words text={left.text} />
      </div>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
      <div key={n} className="grid grid-cols-2">
        <Side line={left} number={left?.before} />
        <Side line={right} number={right?.after} />
      </div>
    ),
  ),
)

const Side = ({ line, number }: { line: DiffLine | undefined; number: number | undefined }) => (
  <div
    className={`grid min-w-0 grid-cols-[2.75rem_1rem_minmax(0,1fr)] pr-2 not-first:border-l ${line ? looks[line.kind].row : 'bg-muted/50'}`}
  >
    <span className={numberClass}>{number}</span>
    <span className={signClass}>{line && looks[line.kind].sign}</span>
    <span className="min-w-0 [overflow-wrap:anywhere] whitespace-pre-wrap">
      {line && <Words text={line.text} />}
    </span>
  </div>
)

const Words = ({ text }: { text: string }): ReactNode => {
  const start = startOfDiffLine(text)
  const left = text.length - start.length
  return left === 0 ? (
    start
  ) : (
    <>
      {start}
      <span className="text-muted-foreground select-none"> … {formatNumber(left)} more characters</span>
    </>
  )
}

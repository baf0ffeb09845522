import { useState } from 'react'
import { createStored } from '../data/stored.ts'
import { Copy } from './copy.tsx'
import { type DiffLine, type FileDiff, filesOfDiff, sideBySide } from './diff-files.ts'
import { type Folder, treeOf } from './diff-tree.ts'
import { countOf } from './format.ts'
import { ChevronRight } from './icons.tsx'
import { useNarrow } from './narrow.ts'
import { Scroller } from './scroller.tsx'
import { Segments } from './segments.tsx'

type Form = 'unified' | 'split'
const form = createStored<Form>('diff-form', 'unified', (value) => value === 'unified' || value === 'split')

/** The files of a diff in git's form: a list that leads to each, and each as a fold with its lines. */
export const Diff = ({ text }: { text: string }) => {
  const files = filesOfDiff(text)
  const chosen = form.use()
  // A phone has no room for two sides.
  const isNarrow = useNarrow()
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-3.5 py-1.5">
        <Sums files={files} />
        <span className="ml-auto flex items-center gap-1">
          {!isNarrow && (
            <Segments
              label="Form of the diff"
              value={chosen}
              options={{ unified: 'Unified', split: 'Split' }}
              onChange={form.set}
            />
          )}
          <Copy text={text} label="Copy as a patch" />
        </span>
      </div>
      {files.length > 1 && <FileList files={files} />}
      <div className="divide-y">
        {files.map((file, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
          <File key={n} id={idOf(n)} file={file} form={isNarrow ? 'unified' : chosen} />
        ))}
      </div>
    </>
  )
}

const idOf = (n: number) => `file-${n + 1}`

const Sums = ({ files }: { files: readonly FileDiff[] }) => {
  const sum = (count: (file: FileDiff) => number) => files.reduce((total, file) => total + count(file), 0)
  return (
    <span className="flex items-center gap-2">
      <span>{files.length === 1 ? '1 file' : `${countOf(files.length)} files`}</span>
      <Changed added={sum(({ added }) => added)} removed={sum(({ removed }) => removed)} />
    </span>
  )
}

const Changed = ({ added, removed }: { added: number; removed: number }) => (
  <span className="flex shrink-0 gap-1.5 font-mono text-xs">
    <span className="text-completed">+{countOf(added)}</span>
    <span className="text-failed">−{countOf(removed)}</span>
  </span>
)

/** With more files than this the folders are closed at first. */
const MOST_UNFOLDED = 30

const FileList = ({ files }: { files: readonly FileDiff[] }) => (
  <nav aria-label="Changed files" className="border-b py-1.5">
    <Scroller role="group" label="List of changed files" className="max-h-64 overflow-y-auto">
      <Tree folder={treeOf(files)} depth={0} isOpen={files.length <= MOST_UNFOLDED} />
    </Scroller>
  </nav>
)

const indent = (depth: number) => ({ paddingLeft: `${0.875 + depth}rem` })

type TreeProps = { folder: Folder; depth: number; isOpen: boolean }

const Tree = ({ folder: { folders, files }, depth, isOpen }: TreeProps) => (
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
              {folder.name}/
            </span>
            <Changed {...folder} />
          </summary>
          <Tree folder={folder} depth={depth + 1} isOpen={isOpen} />
        </details>
      </li>
    ))}
    {files.map(({ name, path, at, ...counts }) => (
      <li key={at}>
        <button
          type="button"
          title={path}
          className="flex w-full items-center gap-2 py-0.5 pr-3.5 text-left hover:bg-muted"
          style={indent(depth + (depth > 0 || folders.length > 0 ? 1 : 0))}
          onClick={() => show(idOf(at))}
        >
          <span className="min-w-0 flex-1 truncate font-mono text-xs">{name}</span>
          <Changed {...counts} />
        </button>
      </li>
    ))}
  </ul>
)

/** Opens a file and goes to it. */
const show = (id: string) => {
  const file = document.getElementById(id)
  if (file instanceof HTMLDetailsElement) file.open = true
  file?.scrollIntoView({ block: 'start' })
  file?.querySelector('summary')?.focus({ preventScroll: true })
}

/** The folder may be cut short, the name of the file may not. */
const Path = ({ path }: { path: string }) => {
  const at = path.lastIndexOf('/') + 1
  return (
    <span className="flex min-w-0 flex-1 font-mono text-xs" title={path}>
      <span className="truncate text-muted-foreground">{path.slice(0, at)}</span>
      <span className="shrink-0">{path.slice(at)}</span>
    </span>
  )
}

const MOST_OPEN = 400

const File = ({ id, file, form: shown }: { id: string; file: FileDiff; form: Form }) => {
  const { path, lines, added, removed } = file
  const [isOpen, setOpen] = useState(lines.length < MOST_OPEN)
  return (
    <details id={id} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex items-center gap-2 px-3.5 py-2 hover:bg-muted">
        <Path path={path} />
        <Changed added={added} removed={removed} />
      </summary>
      {isOpen && (
        <Scroller role="group" label={`Changes of ${path}`} className="overflow-x-auto border-t pb-2">
          {shown === 'split' ? <Split lines={lines} /> : <Unified lines={lines} />}
        </Scroller>
      )}
    </details>
  )
}

const looks: Readonly<Record<DiffLine['kind'], { row: string; sign: string }>> = {
  added: { row: 'bg-completed/12', sign: '+' },
  removed: { row: 'bg-failed/12', sign: '−' },
  hunk: { row: 'bg-muted text-muted-foreground', sign: '' },
  note: { row: 'text-muted-foreground', sign: '' },
  same: { row: '', sign: '' },
}

const numberClass = 'shrink-0 pr-2 text-right text-muted-foreground select-none'
const signClass = 'w-4 shrink-0 select-none'

const Unified = ({ lines }: { lines: readonly DiffLine[] }) => (
  <div className="w-max min-w-full font-mono text-xs leading-5">
    {lines.map((line, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
      <div key={n} className={`flex pr-3.5 ${looks[line.kind].row}`}>
        <span className={`w-11 ${numberClass}`}>{line.before}</span>
        <span className={`w-11 ${numberClass}`}>{line.after}</span>
        <span className={signClass}>{looks[line.kind].sign}</span>
        <span className="whitespace-pre">{line.text || ' '}</span>
      </div>
    ))}
  </div>
)

const Split = ({ lines }: { lines: readonly DiffLine[] }) => (
  <div className="font-mono text-xs leading-5">
    {sideBySide(lines).map(({ left, right }, n) =>
      left && (left.kind === 'hunk' || left.kind === 'note') ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
        <div key={n} className={`px-3.5 [overflow-wrap:anywhere] ${looks[left.kind].row}`}>
          {left.text}
        </div>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
        <div key={n} className="grid grid-cols-2">
          <Side line={left} number={left?.before} />
          <Side line={right} number={right?.after} />
        </div>
      ),
    )}
  </div>
)

const Side = ({ line, number }: { line: DiffLine | undefined; number: number | undefined }) => (
  <div className={`flex min-w-0 pr-2 not-first:border-l ${line ? looks[line.kind].row : 'bg-muted/50'}`}>
    <span className={`w-11 ${numberClass}`}>{number}</span>
    <span className={signClass}>{line && looks[line.kind].sign}</span>
    <span className="min-w-0 [overflow-wrap:anywhere] whitespace-pre-wrap">{line?.text}</span>
  </div>
)

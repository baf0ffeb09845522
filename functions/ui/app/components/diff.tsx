import { ChevronRight, FolderTree } from 'lucide-react'
import { memo, type ReactNode, startTransition, useCallback, useEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import {
  type DiffLine,
  type FileDiff,
  linesOf,
  sideBySide,
  unified,
} from '../../../../lib/core/diff-files.ts'
import { createStored } from '../data/stored.ts'
import { useKeys } from '../shell/keys.ts'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'
import {
  AT_FIRST,
  AT_ONCE,
  FILES_AT_ONCE,
  filesWithin,
  lineWeight,
  pairWeight,
  splitByWeight,
} from './diff-budget.ts'
import { fileLanguage } from './diff-language.ts'
import { DiffRows } from './diff-rows.tsx'
import { buildFileTree, type Folder } from './diff-tree.ts'
import { formatNumber } from './format.ts'
import { enqueueStep } from './frame-steps.ts'
import { LongText } from './long-text.tsx'
import { useNarrow, useWide } from './narrow.ts'
import { parsedDiff } from './parsed-diff.ts'
import { Scroller } from './scroller.tsx'
import { Segments } from './segments.tsx'
import { startOfLine } from './text-weight.ts'

type Form = 'unified' | 'split'
/** Without a choice the layout follows the width of the screen. */
const chosenForm = createStored<Form | 'auto'>(
  'diff-form',
  'auto',
  (value): value is Form => value === 'unified' || value === 'split',
)
const useForm = (): Form => {
  const chosen = chosenForm.use()
  const [isNarrow, isWide] = [useNarrow(), useWide()]
  if (isNarrow) return 'unified'
  return chosen === 'auto' ? (isWide ? 'split' : 'unified') : chosen
}

/** A text that is not a diff is shown as it is. */
export const Diff = ({ text, actions }: { text: string; actions?: ReactNode }) => {
  const { files, before } = useMemo(() => parsedDiff(text), [text])
  return (
    <FileDiffs
      files={files}
      before={before}
      isCode
      actions={
        <>
          <Copy text={text} label="Copy as patch" />
          {actions}
        </>
      }
    />
  )
}

type FileDiffsProps = {
  files: readonly FileDiff[]
  /** The text in front of the files. */
  before?: string
  actions?: ReactNode
  /** The lines are those of the files, and are highlighted. */
  isCode?: boolean
}

export const FileDiffs = ({ files, before = '', actions, isCode = false }: FileDiffsProps) => {
  const form = useForm()
  const isNarrow = useNarrow()
  const [open, setOpen] = useState(() => filesWithin(AT_ONCE, files, form === 'split'))
  const [atFirst] = useState(() => filesWithin(AT_FIRST, files, form === 'split'))
  useEffect(
    () => enqueueStep(() => startTransition(() => setOpen((before) => new Set([...before, ...atFirst])))),
    [atFirst],
  )
  const [most, setMost] = useState(FILES_AT_ONCE)
  const visibleFiles = useMemo(() => files.slice(0, most), [files, most])
  const tree = useTree(files.length > 1)
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
        <span className="ml-auto flex flex-wrap items-center justify-end gap-1">
          {files.length > 1 && (
            <Button
              kind="ghost"
              size="small"
              title="List of changed files (f)"
              aria-pressed={tree.isShown}
              className="aria-pressed:bg-accent aria-pressed:text-foreground"
              onClick={tree.toggle}
            >
              <FolderTree size={14} /> Files
            </Button>
          )}
          {!isNarrow && files.length > 0 && (
            <Segments
              label="Diff layout"
              value={form}
              options={{ unified: 'Unified', split: 'Split' }}
              onChange={chosenForm.set}
            />
          )}
          {actions}
        </span>
      </div>
      {before !== '' && <Before text={before} isAlone={files.length === 0} />}
      <div className={tree.isShown ? 'lg:grid lg:grid-cols-[17rem_minmax(0,1fr)] lg:items-start' : ''}>
        {tree.isShown && <FileList files={visibleFiles} goTo={goTo} />}
        <div className="min-w-0 divide-y lg:not-first:border-l">
          {visibleFiles.map((file, at) => (
            <File
              // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
              key={at}
              at={at}
              file={file}
              form={form}
              language={isCode ? fileLanguage(file.path) : undefined}
              isOpen={open.has(at)}
              onToggle={toggle}
            />
          ))}
        </div>
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

const TREE_LABEL = 'Changed files'
const shownTree = createStored<boolean | 'auto'>(
  'diff-tree',
  'auto',
  (value): value is boolean => typeof value === 'boolean',
)

/** The tree is shown at first where there is room for it. A key shows it with the focus in it, and hides it. */
const useTree = (isThere: boolean) => {
  const chosen = shownTree.use()
  const isNarrow = useNarrow()
  const isShown = isThere && (chosen === 'auto' ? !isNarrow : chosen)
  const toggle = () => shownTree.set(!isShown)
  const byKey = () => {
    flushSync(toggle)
    const nav = document.querySelector(`nav[aria-label="${TREE_LABEL}"]`)
    nav?.querySelector<HTMLElement>('button, summary')?.focus()
  }
  useKeys(isThere ? { files: byKey } : {})
  return { isShown, toggle }
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
  <nav aria-label={TREE_LABEL} className="border-b py-1.5 lg:sticky lg:top-0 lg:border-b-0">
    <Scroller
      role="group"
      label="List of changed files"
      className="max-h-64 overflow-y-auto lg:max-h-[calc(100dvh-12rem)]"
    >
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
          <summary
            className="flex items-center gap-1.5 py-0.5 pr-3.5 -outline-offset-2 hover:bg-muted"
            style={indent(depth)}
          >
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
          className="flex w-full items-center gap-2 py-0.5 pr-3.5 text-left -outline-offset-2 hover:bg-muted"
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
  language: string | undefined
  isOpen: boolean
  onToggle: (at: number, isOpen: boolean) => void
}

const File = memo(({ at, file, form: layout, language, isOpen, onToggle }: FileProps) => {
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
      {isOpen && <Lines key={layout} path={path} lines={lines} form={layout} language={language} />}
    </details>
  )
})

type LinesProps = { path: string; lines: readonly DiffLine[]; form: Form; language: string | undefined }

const Lines = ({ path, lines, form: layout, language }: LinesProps) => {
  /** Of the pieces that are asked for, one more is rendered in each step. */
  const [asked, setAsked] = useState(PIECES_AT_ONCE)
  const [most, setMost] = useState(1)
  // Those of the next click are counted on its button.
  const pieces = useMemo(
    () =>
      layout === 'split'
        ? splitByWeight(sideBySide(lines), pairWeight, asked + PIECES_AT_ONCE)
        : splitByWeight(unified(lines), ({ left }) => lineWeight(left), asked + PIECES_AT_ONCE),
    [lines, layout, asked],
  )
  useEffect(
    () =>
      most < Math.min(asked, pieces.length)
        ? enqueueStep(() => startTransition(() => setMost(most + 1)))
        : undefined,
    [most, asked, pieces],
  )
  const linesIn = (some: typeof pieces) => some.flat().flatMap(linesOf).length
  const rest = lines.length - linesIn(pieces.slice(0, asked))
  return (
    <>
      <Scroller role="group" label={`Changes of ${path}`} className="overflow-x-auto border-t pb-2">
        <div className={`font-mono text-xs leading-5 ${layout === 'split' ? '' : 'w-max min-w-full'}`}>
          {pieces.slice(0, most).map((pairs, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
            <DiffRows key={n} pairs={pairs} isSplit={layout === 'split'} language={language} />
          ))}
        </div>
      </Scroller>
      {rest > 0 && (
        <More
          most={linesIn(pieces.slice(asked, asked + PIECES_AT_ONCE))}
          rest={rest}
          unit="lines"
          onMore={() => setAsked(asked + PIECES_AT_ONCE)}
        />
      )}
    </>
  )
}

const PIECES_AT_ONCE = 4

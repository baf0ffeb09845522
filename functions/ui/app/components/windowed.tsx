import {
  Fragment,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from 'react'

type Props<Item> = {
  items: readonly Item[]
  getKey: (item: Item) => string | number
  draw: (item: Item, index: number) => ReactNode
  /** About so high is an item that was not drawn yet. */
  itemPx: number | ((item: Item) => number)
  /** So many items are drawn and left out together. */
  atOnce?: number
  /** The index of an item that is drawn in any case. */
  meant?: number
  /** The layout of the items, as their parent has it. */
  className?: string
  /** The items are `li` of a list; items that are left out together are a list within it. */
  isList?: boolean
}

/** Further from the view than this, items are left out. */
const MARGIN = '800px'

/**
 * The items of a list of any length and of any heights, in any element that scrolls: those that are far from the view are left out, and
 * their place is kept. A short list is drawn whole.
 */
export const Windowed = <Item,>(props: Props<Item>) => {
  const { items, getKey, draw, itemPx, atOnce = 20, meant = 0, className, isList = false } = props
  const renderItems = (some: readonly Item[], first: number) =>
    some.map((item, at) => <Fragment key={getKey(item)}>{draw(item, first + at)}</Fragment>)
  const itemHeight = (item: Item) => (typeof itemPx === 'number' ? itemPx : itemPx(item))
  if (items.length <= 2 * atOnce) return renderItems(items, 0)
  const count = Math.ceil(items.length / atOnce)
  return Array.from({ length: count }, (_, at) => {
    const first = at * atOnce
    const some = items.slice(first, first + atOnce)
    return (
      <Chunk
        // biome-ignore lint/suspicious/noArrayIndexKey: lists grow at their end.
        key={at}
        first={first}
        className={className}
        isList={isList}
        isNearAtFirst={at === 0 || at === count - 1 || at === Math.floor(meant / atOnce)}
        heightPx={some.reduce((sum, item) => sum + itemHeight(item), 0)}
      >
        {() => renderItems(some, first)}
      </Chunk>
    )
  })
}

type ChunkProps = {
  first: number
  isNearAtFirst: boolean
  heightPx: number
  className: string | undefined
  isList: boolean
  children: () => ReactNode
}

const Chunk = ({ first, isNearAtFirst, heightPx, className, isList, children }: ChunkProps) => {
  const box = useRef<HTMLElement>(null)
  const measuredPx = useRef<number>(undefined)
  // What a person has opened stays open, and is not left out.
  const isUsed = useRef(false)
  const [isNear, setNear] = useState(isNearAtFirst)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const options = { rootMargin: MARGIN, scrollMargin: MARGIN }
    const observer = new IntersectionObserver((entries) => {
      const isSeen = entries.at(-1)?.isIntersecting ?? false
      const isNeeded = isSeen || isUsed.current || element.contains(document.activeElement)
      if (!isNeeded && element.childElementCount > 0) measuredPx.current = element.offsetHeight
      setNear(isNeeded)
    }, options)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const onClickCapture = ({ target }: SyntheticEvent) => {
    if ((target as Element).closest('summary')) isUsed.current = true
  }
  const place = {
    'data-first': first,
    style: isNear ? undefined : { height: measuredPx.current ?? heightPx },
    onClickCapture,
  }
  if (isList)
    return (
      <li ref={box as RefObject<HTMLLIElement>} {...place}>
        {isNear && <ul className={className}>{children()}</ul>}
      </li>
    )
  return (
    <div ref={box as RefObject<HTMLDivElement>} className={className} {...place}>
      {isNear && children()}
    </div>
  )
}

/** Brings an item into sight, or the place of those that it is left out with. */
export const scrollToItem = (within: Element | null, index: number): void => {
  const item = within?.querySelector(`[data-index="${index}"]`)
  const places = [...(within?.querySelectorAll('[data-first]') ?? [])]
  const place = places.findLast((one) => Number((one as HTMLElement).dataset.first) <= index)
  ;(item ?? place)?.scrollIntoView({ block: 'nearest' })
}

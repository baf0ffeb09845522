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
  /** Estimated height before rendering. */
  itemPx: number | ((item: Item) => number)
  /** Items per chunk. */
  atOnce?: number
  /** The index of an item that is rendered in any case. */
  meant?: number
  /** The index of the first item, where this is a part of a list. */
  first?: number
  /** The layout classes of the parent. */
  className?: string
  /** Items are `li`. A chunk is a nested list. */
  isList?: boolean
}

const MARGIN = '800px'

/**
 * Renders items of any height in any scroll container; chunks far from the viewport are replaced by their height. Short lists are rendered
 * whole.
 */
export const Windowed = <Item,>(props: Props<Item>) => {
  const {
    items,
    getKey,
    draw,
    itemPx,
    atOnce = 20,
    meant = 0,
    first: start = 0,
    className,
    isList = false,
  } = props
  const renderItems = (some: readonly Item[], first: number) =>
    some.map((item, at) => <Fragment key={getKey(item)}>{draw(item, start + first + at)}</Fragment>)
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
        first={start + first}
        className={className}
        isList={isList}
        isNearAtFirst={at === 0 || at === count - 1 || at === Math.floor((meant - start) / atOnce)}
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
  // A chunk in which something was expanded stays rendered.
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

/** Scrolls to an item, or to the chunk that stands for it. */
export const scrollToItem = (within: Element | null, index: number): void => {
  const item = within?.querySelector(`[data-index="${index}"]`)
  const places = [...(within?.querySelectorAll('[data-first]') ?? [])]
  const place = places.findLast((one) => Number((one as HTMLElement).dataset.first) <= index)
  ;(item ?? place)?.scrollIntoView({ block: 'nearest' })
}

type Closing = { close?(): Promise<unknown> }

/** The body of a test of what `open` gives, which is closed in the end, however the test ends. */
export const withOpened =
  <O extends Closing>(open: () => Promise<O>, test: (opened: O) => Promise<void>) =>
  async (): Promise<void> => {
    const opened = await open()
    try {
      await test(opened)
    } finally {
      await opened.close?.()
    }
  }

/** Where a run is shown. */

export interface Screen {
  write(text: string): void;
  /** Lines can be drawn over, and there is a person to see it. */
  readonly live: boolean;
  readonly color: boolean;
  columns(): number;
  rows(): number;
  /** Shows or hides the cursor; shows it again whatever ends this program. Called only where `live`. */
  cursor(shown: boolean): void;
}

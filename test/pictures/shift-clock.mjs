// Preloaded into the service that is photographed: its clock is `SHIFT_CLOCK_MS` behind.
const shiftMs = Number(process.env.SHIFT_CLOCK_MS ?? 0);
const RealDate = Date;
const now = () => RealDate.now() - shiftMs;

globalThis.Date = class extends RealDate {
  constructor(...values) {
    if (values.length === 0) super(now());
    else super(...values);
  }

  static now() {
    return now();
  }
};

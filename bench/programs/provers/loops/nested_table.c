// attest: cover -f nested_table --scope file --no-replay
/*
 * Two nested loops go over the cells of a table of up to 200 rows and 200 columns and count those
 * above, on and below the diagonal. The inner loop counts each cell of its row once, so the counts
 * add up to rows times columns, and a square table has as many cells above it as below.
 */
enum { MOST = 200 };

int nested_table(unsigned rows, unsigned columns)
{
    unsigned above = 0;
    unsigned on = 0;
    unsigned below = 0;
    unsigned cells = 0;

    if (rows > MOST || columns > MOST) { //~ T covered, F covered
        return 0;
    }
    for (unsigned row = 0; row < rows; row++) { //~ T covered, F covered
        unsigned before = cells;
        for (unsigned column = 0; column < columns; column++) { //~ T covered, F covered
            cells++;
            if (row < column) { //~ T covered, F covered
                above++;
            } else if (row == column) { //~ T covered, F covered
                on++;
            } else {
                below++;
            }
        }
        if (cells - before != columns) { //~ T unreachable, F covered
            return -1;
        }
        if (on > row + 1) { //~ T unreachable, F covered
            return -2;
        }
    }
    if (above + on + below != cells) { //~ T unreachable, F covered
        return -3;
    }
    if (cells != rows * columns) { //~ T unreachable, F covered
        return -4;
    }
    if (rows == columns && above != below) { //~ T unreachable, F covered
        return -5;
    }
    if (on > rows || on > columns) { //~ T unreachable, F covered
        return -6;
    }
    if (above == 3 && below == 6) { //~ T covered, F covered
        return 1;
    }
    return cells == 35 ? 2 : 0; //~ T covered, F covered
}

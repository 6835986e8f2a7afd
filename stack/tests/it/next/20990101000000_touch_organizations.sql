update wildfire.organizations set name = name;
